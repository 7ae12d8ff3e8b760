/** A dashboard on a host of its own, by https; imported before all else, as the configuration is read once. */
Object.assign(process.env, {
  PUBLIC_URL: 'https://api.millrace.example',
  APP_URL: 'https://app.millrace.example',
})
