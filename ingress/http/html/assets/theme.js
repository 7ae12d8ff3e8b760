// Applies the chosen theme before the page is first painted. Without a choice, the theme of the device applies.
{
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
}
