create schema guard;
