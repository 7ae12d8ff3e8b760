export interface SandboxTemplate {
  id: string
  name: string
  language: string
  status: string
  category: string
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: { type: string; text?: string; format?: string; example?: unknown; buttons?: SandboxButton[] }[]
}

interface SandboxButton {
  type: string
  text: string
  url?: string
  example?: string[]
}

const facts = { status: 'APPROVED', category: 'UTILITY', parameter_format: 'POSITIONAL' } as const

export const templates: readonly SandboxTemplate[] = [
  {
    ...facts,
    id: '300000000000001',
    name: 'hello_world',
    language: 'en_US',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome and congratulations! This message shows that you can send by WhatsApp.' },
      { type: 'FOOTER', text: 'WhatsApp sandbox' },
    ],
  },
  {
    ...facts,
    id: '300000000000002',
    name: 'order_shipped',
    language: 'en',
    components: [
      {
        type: 'BODY',
        text: 'Your order {{1}} is on its way. It arrives {{2}}.',
        example: { body_text: [['1042', 'on Friday']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track it', url: 'https://shop.example.com/track/{{1}}', example: ['1042'] },
          { type: 'QUICK_REPLY', text: 'Thank you' },
        ],
      },
    ],
  },
  {
    ...facts,
    id: '300000000000003',
    name: 'appointment_reminder',
    language: 'en',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{name}}, we expect you {{when}}.',
        example: {
          body_text_named_params: [
            { param_name: 'name', example: 'Ann' },
            { param_name: 'when', example: 'tomorrow at 10:00' },
          ],
        },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I will come' },
          { type: 'QUICK_REPLY', text: 'Another day, please' },
        ],
      },
    ],
  },
  {
    ...facts,
    id: '300000000000004',
    name: 'autumn_offer',
    language: 'en',
    status: 'PAUSED',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Everything is 20% off until Sunday.' }],
  },
]

export const variablesIn = (text = ''): string[] => [
  ...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)),
]
