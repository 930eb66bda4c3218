"""From the data of a page to widgets: one renderer for each kind of element, called only when the element differs."""
