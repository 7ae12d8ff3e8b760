create schema whatsapp;
