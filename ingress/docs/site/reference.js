// The operations of one area. `SwaggerUIBundle` comes from the library loaded before.
import { copyButtons } from './copy.js'

/** Shows an operation's calls, as its document has them, before its parameters. */
const calls = () => ({
  wrapComponents: {
    parameters:
      (Original, { React }) =>
      (props) => {
        const samples = props.operation?.get?.('x-codeSamples')?.toJS() ?? []
        return React.createElement(
          React.Fragment,
          null,
          samples.length > 0 && React.createElement(Calls, { React, samples }),
          React.createElement(Original, props),
        )
      },
  },
})

function Calls({ React, samples }) {
  const [label, choose] = React.useState(localStorage.getItem('client') ?? 'curl')
  const shown = samples.find((sample) => sample.label === label) ?? samples[0]
  const element = React.useRef(null)
  React.useEffect(() => {
    copyButtons(element.current)
  })
  const tab = ({ label: name }) =>
    React.createElement(
      'button',
      {
        key: name,
        type: 'button',
        role: 'tab',
        className: name === shown.label ? 'chosen' : '',
        'aria-selected': name === shown.label,
        onClick: () => {
          localStorage.setItem('client', name)
          choose(name)
        },
      },
      name,
    )
  return React.createElement(
    'div',
    { className: 'calls', ref: element },
    React.createElement('div', { role: 'tablist', 'aria-label': 'Client' }, samples.map(tab)),
    // A new element for each client: the copy button is put into it from outside.
    React.createElement('pre', { key: shown.label }, React.createElement('code', null, shown.source)),
  )
}

const root = document.getElementById('docs')
SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [calls],
})
