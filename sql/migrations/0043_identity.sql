create schema identity;
