create schema directory;
