// Applies the stored theme, or the theme of the device, before the page is first painted.
const chosen = localStorage.getItem('theme')
const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
document.documentElement.dataset.theme = dark ? 'dark' : 'light'
// With JavaScript, the pages show the calls of one client at a time.
document.documentElement.dataset.client = localStorage.getItem('client') ?? 'curl'
