/** Where the files of imports lie in the object storage, each under its import's id. */
export const importFiles = 'erp/imports/'
