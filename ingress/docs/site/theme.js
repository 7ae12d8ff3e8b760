// Dark or light: as the reader chose last, else as the device has it. Runs before the first paint.
const chosen = localStorage.getItem('theme')
const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
document.documentElement.dataset.theme = dark ? 'dark' : 'light'
// With scripts, one client's call is shown at a time.
document.documentElement.dataset.client = localStorage.getItem('client') ?? 'curl'
