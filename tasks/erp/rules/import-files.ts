export const importFiles = 'erp/imports/'
