create schema bots;
