create schema trust;
