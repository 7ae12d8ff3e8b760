create schema voice;
