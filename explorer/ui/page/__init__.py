"""From the data of a page to widgets: one renderer for each kind of element, told new data only when it differs."""
