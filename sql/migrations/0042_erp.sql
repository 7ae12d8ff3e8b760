create schema erp;
