"""The pages that belong to no stage: the inspector, the glossary, the references and the list of lessons."""
