"""Questions of lessons for a class: exercise sheets, answers, and files for learning platforms. Files, no server."""
