// With JavaScript, the pages show the calls of one client at a time.
document.documentElement.dataset.client = localStorage.getItem('client') ?? 'curl'
