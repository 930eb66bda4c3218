"""What stands on a page, as plain data: computed from a view by one function for each kind of stage, without Qt."""
