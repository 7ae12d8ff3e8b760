/** Emails of a product as its developers write them: a layout, a partial, and eight templates with their data. */

export const layout = {
  name: 'Base',
  kind: 'layout',
  alias: 'base',
  syntax: 'liquid',
  mjml: `<mjml lang="en"><mj-head><mj-title>Tidewater</mj-title><mj-attributes><mj-all font-family="Arial, sans-serif" /><mj-text font-size="16px" line-height="24px" color="#1f2933" /></mj-attributes>
<mj-raw><meta name="color-scheme" content="light dark"></mj-raw>
<mj-style>.card { background: #ffffff } .button { background: #0b5fa5; color: #ffffff; padding: 12px 20px; border-radius: 6px; display: inline-block; text-decoration: none } td, th { text-align: left; padding: 4px 0 } table.lines { width: 100% } .end { text-align: right } .small { color: #52606d; font-size: 13px }
@media (prefers-color-scheme: dark) { body, .page { background: #101418 !important } .card, .card table { background: #1b2128 !important } .card div, .card h1, .card td, .card th { color: #e4e7eb !important } .card a:not(.button) { color: #7cc4fa !important } .small { color: #b3bcc5 !important } }</mj-style></mj-head>
<mj-body background-color="#eef1f4" css-class="page"><mj-section background-color="#ffffff" css-class="card"><mj-column><mj-text><strong>Tidewater</strong></mj-text><mj-text>{% block content %}{% endblock %}</mj-text><mj-text>{% render "footer", support: support_url %}</mj-text></mj-column></mj-section></mj-body></mjml>`,
  text: 'Tidewater\n\n{% block content %}{% endblock %}\n\n{% render "footer", support: support_url %}',
}

export const footer = {
  name: 'Footer',
  kind: 'partial',
  alias: 'footer',
  syntax: 'liquid',
  html: '<p class="small">Tidewater OÜ, Sadama 5, Tallinn. <a href="{{ support }}">Ask for help</a></p>',
  text: 'Tidewater OÜ, Sadama 5, Tallinn\nHelp: {{ support }}',
}

interface ProductMail {
  alias: string
  subject: string
  content: string
  text: string
  data: Record<string, unknown>
  /** What a reader finds in both parts. */
  says: readonly string[]
}

const hello = (name = 'name') => `<h1>Hello {{ ${name} | default: "there" }},</h1>`
const button = (words: string) => `<p><a class="button" href="{{ action_url }}">${words}</a></p>`
const support_url = 'https://tidewater.example/help'
const action_url = 'https://tidewater.example/do?a=1&b=2'
const lines = `<table class="lines">{% for line in lines %}<tr><td>{{ line.description }}</td><td class="end">{{ line.amount }}</td></tr>{% endfor %}<tr><th>Total</th><th class="end">{{ total }}</th></tr></table>`
const textLines = '{% for line in lines %}{{ line.description }}: {{ line.amount }}\n{% endfor %}Total: {{ total }}'
const bought = [
  { description: 'Team plan, 12 seats & storage', amount: '€144.00' },
  { description: 'Averyveryverylongproductnamewithoutanyspaceswhichmustbreakonaphonescreen', amount: '€6.00' },
]

export const mails: readonly ProductMail[] = [
  {
    alias: 'welcome',
    subject: 'Welcome to Tidewater{% if name %}, {{ name }}{% endif %}',
    content: `${hello()}<p>Your account is ready.{% if trial_days %} You can try everything for {{ trial_days }} {% if trial_days == 1 %}day{% else %}days{% endif %}, until {{ trial_end }}.{% endif %}</p>${button('Set up your team')}<p>Sign in as {{ login }}.</p>`,
    text: 'Your account is ready. You can try everything for {{ trial_days }} days, until {{ trial_end }}.\n{{ action_url }}\nSign in as {{ login }}.',
    data: { name: 'Ann', trial_days: 14, trial_end: '13 December', login: 'ann@people.example', action_url, support_url },
    says: ['14 days', '13 December', 'ann@people.example'],
  },
  {
    alias: 'receipt',
    subject: 'Receipt {{ receipt_id }} from Tidewater',
    content: `${hello()}<p>We charged {{ total }} to your {{ card.brand }} card ending in {{ card.last4 }} on {{ date }}.</p>${lines}${button('Download the receipt')}`,
    text: `We charged {{ total }} to your {{ card.brand }} card ending in {{ card.last4 }} on {{ date }}.\n\n${textLines}\n\n{{ action_url }}`,
    data: {
      ...{ receipt_id: 'R-1042', date: '29 November', total: '€150.00', lines: bought, action_url, support_url },
      card: { brand: 'Visa', last4: '4242' },
    },
    says: ['€150.00', '4242', 'Team plan, 12 seats & storage'],
  },
  {
    alias: 'invoice',
    subject: 'Invoice {{ invoice_id }}: {{ total }} due on {{ due }}',
    content: `${hello()}<p>Please pay invoice {{ invoice_id }} by {{ due }}.</p>${lines}${button('Pay the invoice')}{% for note in notes %}<p class="small">{{ note }}</p>{% endfor %}`,
    text: `Please pay invoice {{ invoice_id }} by {{ due }}.\n\n${textLines}\n\n{{ action_url }}\n{% for note in notes %}{{ note }}\n{% endfor %}`,
    data: {
      ...{ invoice_id: 'I-77', due: '31 December', total: '€150.00', lines: bought, action_url, support_url },
      notes: ['VAT: reverse charge', 'Reference: I-77'],
    },
    says: ['I-77', '31 December', 'reverse charge'],
  },
  {
    alias: 'password-reset',
    subject: 'Set a new password',
    content: `${hello()}<p>Use this link within {{ hours }} hours to set a new password.</p>${button('Set a new password')}<p class="small">The request came from {{ browser | default: "an unknown browser" }}{% if system %} on {{ system }}{% endif %}. If you did not ask for it, ignore this email.</p>`,
    text: 'Use this link within {{ hours }} hours to set a new password:\n{{ action_url }}\nThe request came from {{ browser }} on {{ system }}.',
    data: { name: 'Ann', hours: 24, browser: 'Firefox', system: 'Debian', action_url, support_url },
    says: ['24 hours', 'Firefox on Debian'],
  },
  {
    alias: 'invitation',
    subject: '{{ inviter.name }} invited you to {{ team }}',
    content: `${hello()}<p>{{ inviter.name }} ({{ inviter.email }}) invited you to the team {{ team }}{% if role %} as {{ role }}{% endif %}.</p>${button('Join the team')}`,
    text: '{{ inviter.name }} ({{ inviter.email }}) invited you to the team {{ team }} as {{ role }}.\n{{ action_url }}',
    data: {
      ...{ team: 'R&D <Tallinn>', role: 'editor', action_url, support_url },
      inviter: { name: 'Bob', email: 'bob@people.example' },
    },
    says: ['bob@people.example', 'R&D <Tallinn>', 'editor'],
  },
  {
    alias: 'trial-expiring',
    subject: 'Your trial ends {% if days == 1 %}tomorrow{% else %}in {{ days }} days{% endif %}',
    content: `${hello()}<p>Your trial ends on {{ end }}. After that, your {{ projects.size }} projects are read-only:</p><ul>{% for project in projects limit: 3 %}<li>{{ project }}</li>{% endfor %}</ul>${button('Choose a plan')}<p><a href="{{ export_url }}">Export your data</a></p>`,
    text: 'Your trial ends on {{ end }}. After that, your {{ projects.size }} projects are read-only:\n{% for project in projects limit: 3 %}- {{ project }}\n{% endfor %}{{ action_url }}\n{{ export_url }}',
    data: {
      ...{ days: 1, end: '30 November', projects: ['Harbour', 'Mill', 'Race', 'Weir'], action_url, support_url },
      export_url: 'https://tidewater.example/export',
    },
    says: ['30 November', '4 projects', 'Race'],
  },
  {
    alias: 'comment',
    subject: '{{ author }} commented on {{ title | truncate: 40 }}',
    content: `<h1>{{ author }} commented</h1>{% for paragraph in paragraphs %}<p>{{ paragraph }}</p>{% endfor %}<p class="small">{{ at | date: "%-d %B %Y, %H:%M" }} UTC</p>${button('Reply')}`,
    text: '{% for paragraph in paragraphs %}{{ paragraph }}\n\n{% endfor %}{{ at | date: "%-d %B %Y, %H:%M" }} UTC\n{{ action_url }}',
    data: {
      ...{ author: 'Eve', title: 'Plan of the harbour', at: '2026-11-29T09:30:00Z', action_url, support_url },
      paragraphs: ['Looks good & clear.', '<script>alert(1)</script>'],
    },
    says: ['Looks good & clear.', '<script>alert(1)</script>', '29 November 2026, 09:30 UTC'],
  },
  {
    alias: 'dunning',
    subject: 'Payment of {{ amount }} failed',
    content: `${hello()}<p>We could not charge {{ amount }} to your card ending in {{ last4 }}: {{ reason }}</p><p>We try again on {{ retries | array_to_sentence_string }}.{% if cut_off %} Your account is closed on {{ cut_off }}.{% endif %}</p>${button('Update your card')}`,
    text: 'We could not charge {{ amount }} to your card ending in {{ last4 }}: {{ reason }}\nWe try again on {{ retries | array_to_sentence_string }}. Your account is closed on {{ cut_off }}.\n{{ action_url }}',
    data: {
      ...{ amount: '€150.00', last4: '4242', reason: 'The card has expired.', action_url, support_url },
      ...{ retries: ['1 December', '4 December', '8 December'], cut_off: '10 December' },
    },
    says: ['1 December, 4 December, and 8 December', '10 December', 'The card has expired.'],
  },
]

/** A template as the API takes it. Every second one has no text of its own. */
export const toTemplate = ({ alias, subject, content, text, data }: ProductMail, i: number) => ({
  ...{ name: alias, alias, syntax: 'liquid', subject, test_data: data },
  html: `{% layout "base" %}{% block content %}${content}{% endblock %}`,
  text: i % 2 === 0 ? `{% layout "base" %}{% block content %}${text}{% endblock %}` : null,
})
