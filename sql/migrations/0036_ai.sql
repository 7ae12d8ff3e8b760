create schema ai;
