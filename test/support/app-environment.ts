/** A dashboard with a separate https host. Import this first, because the configuration is read once. */
Object.assign(process.env, {
  PUBLIC_URL: 'https://api.millrace.example',
  APP_URL: 'https://app.millrace.example',
})
