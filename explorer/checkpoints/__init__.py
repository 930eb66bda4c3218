"""Models that others trained: from a folder with config.json and safetensors to one of our models and its inputs."""
