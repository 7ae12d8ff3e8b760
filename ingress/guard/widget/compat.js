/**
 * Runs the widget on pages that were written for reCAPTCHA, Turnstile or hCaptcha: with their markup, their form fields
 * and their functions. Query parameters of the script: `render` (`explicit` or a site key) and `onload` (a function).
 */
;(() => {
  const script = document.currentScript
  const source = new URL(script instanceof HTMLScriptElement ? script.src : location.href)
  const ready = import(new URL('./widget.js', source).href)

  /** Form fields and classes of each provider. */
  const kinds = {
    'g-recaptcha': ['g-recaptcha-response'],
    'h-captcha': ['h-captcha-response', 'g-recaptcha-response'],
    'cf-turnstile': ['cf-turnstile-response'],
  }

  /** Rendered widgets. The ID of a widget is its index. */
  const widgets = []

  const actionOf = (text) =>
    (text || 'submit')
      .toLowerCase()
      .replace(/[^a-z0-9_.:-]/g, '_')
      .slice(0, 64)

  const call = (callback, ...given) => {
    const found = typeof callback === 'string' ? callback.split('.').reduce((at, name) => at?.[name], window) : callback
    if (typeof found === 'function') found(...given)
  }

  /** Options of a container: its `data-` attributes, and the options of `render`. */
  const optionsOf = (container, given = {}) => {
    const all = { ...container.dataset }
    for (const [name, value] of Object.entries(given))
      all[name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] = value
    return all
  }

  const create = (options) => {
    const element = document.createElement('mill-guard')
    element.setAttribute('sitekey', options.sitekey ?? '')
    element.setAttribute('action', actionOf(options.action))
    const theme = options.theme === 'dark' || options.theme === 'light' ? options.theme : 'auto'
    element.setAttribute('theme', theme)
    if (options.language && options.language !== 'auto') element.setAttribute('lang', options.language)
    return element
  }

  /** Adds the fields that servers read, next to the field of the widget. */
  const addFields = (names, element, container) => {
    const [first, ...others] = names
    element.setAttribute('name', first)
    return others.map((name) => {
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name })
      container.append(field)
      return field
    })
  }

  const listen = (widget, options) => {
    const { element, fields } = widget
    const fill = (value) => {
      for (const field of fields) field.value = value
    }
    element.addEventListener('solve', ({ detail }) => {
      fill(detail.token)
      call(options.callback, detail.token)
    })
    element.addEventListener('expire', () => {
      fill('')
      call(options.expiredCallback)
    })
    element.addEventListener('reset', () => fill(''))
    element.addEventListener('error', ({ detail }) => call(options.errorCallback, detail.code))
  }

  const placeOf = (place) => {
    const found = typeof place === 'string' ? (document.getElementById(place) ?? document.querySelector(place)) : place
    if (!found) throw new Error('The container of the widget does not exist.')
    return found
  }

  /** A button solves when it is clicked. Other invisible widgets solve when the page calls `execute`. */
  const hide = (element, container) => {
    element.setAttribute('optional', '')
    element.style.display = 'none'
    if (!container.matches('button, input')) return
    container.addEventListener('click', (event) => {
      event.preventDefault()
      ready.then(() => element.solve()).catch(() => {})
    })
  }

  const add = (kind, container, options) => {
    const element = create(options)
    const isButton = container.matches('button, input')
    const isHidden = isButton || options.size === 'invisible' || options.execution === 'execute'
    const holder = isButton ? document.createElement('span') : container
    if (isButton) container.after(holder)
    element.setAttribute('auto', isHidden ? 'off' : 'onload')
    if (isHidden) hide(element, container)
    const names = options.responseFieldName ? [options.responseFieldName] : kinds[kind]
    const widget = { container, element, fields: addFields(names, element, holder), kind }
    widgets.push(widget)
    listen(widget, options)
    holder.append(element)
  }

  /** Returns the ID of the widget in a container. Renders it if it does not exist. */
  const renderAs = (kind, place, given) => {
    const container = placeOf(place)
    const known = widgets.findIndex((widget) => widget?.container === container)
    if (known >= 0) return known
    add(kind, container, optionsOf(container, given))
    return widgets.length - 1
  }

  const find = (kind, id) => {
    if (id !== undefined && id !== null && typeof id !== 'object') {
      const byPlace = widgets.findIndex(
        (widget) =>
          widget && typeof id === 'string' && (widget.container.id === id || `#${widget.container.id}` === id),
      )
      return widgets[byPlace >= 0 ? byPlace : Number(id)]
    }
    return widgets.find((widget) => widget?.kind === kind)
  }

  /** Gets a token of a widget, or of a site key as reCAPTCHA v3 does. */
  const execute = async (kind, id, given = {}) => {
    const { getToken } = await ready
    const widget = find(kind, id)
    if (widget) return await widget.element.solve()
    const sitekey = typeof id === 'string' && id.startsWith('bt_site_') ? id : source.searchParams.get('render')
    return (await getToken({ sitekey, action: actionOf(given.action) })).token
  }

  const whenReady = (callback) => {
    const done = ready.then(() => callback && call(callback))
    done.catch(() => {})
    return done
  }

  const functionsOf = (kind) => ({
    ready: whenReady,
    // Only reCAPTCHA has numbers as IDs. Pages of the other providers test whether an ID is empty.
    render: (place, options) => (kind === 'g-recaptcha' ? Number : String)(renderAs(kind, place, options)),
    execute: (id, options) => execute(kind, id, options),
    getResponse: (id) => find(kind, id)?.element.value ?? '',
    reset: (id) => find(kind, id)?.element.reset?.(),
    remove(id) {
      const widget = find(kind, id)
      if (!widget) return
      widget.element.remove()
      for (const field of widget.fields) field.remove()
      widgets[widgets.indexOf(widget)] = undefined
    },
    isExpired: (id) => find(kind, id)?.element.state === 'expired',
  })

  const recaptcha = functionsOf('g-recaptcha')
  const hcaptcha = functionsOf('h-captcha')
  Object.assign(window, {
    grecaptcha: { ...recaptcha, enterprise: recaptcha },
    turnstile: functionsOf('cf-turnstile'),
    hcaptcha: {
      ...hcaptcha,
      getRespKey: () => '',
      // hCaptcha returns an object if the caller waits for the token.
      async execute(id, options = {}) {
        const response = await hcaptcha.execute(id, options)
        return options.async ? { response, key: '' } : response
      },
    },
  })

  const renderAll = () => {
    for (const kind of Object.keys(kinds))
      for (const container of document.querySelectorAll(`.${kind}`)) renderAs(kind, container)
  }

  const start = () => {
    if (source.searchParams.get('render') !== 'explicit') renderAll()
    const onload = source.searchParams.get('onload')
    if (onload) void whenReady(onload)
  }
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
  else start()
})()
