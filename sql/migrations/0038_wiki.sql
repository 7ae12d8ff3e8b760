create schema wiki;
