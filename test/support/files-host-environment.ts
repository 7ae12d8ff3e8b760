/** A separate host for files. Import this first, because the configuration is read once. */
Object.assign(process.env, {
  PUBLIC_URL: 'https://api.millrace.example',
  APP_URL: 'https://app.millrace.example',
  FILES_URL: 'https://files.example',
})
