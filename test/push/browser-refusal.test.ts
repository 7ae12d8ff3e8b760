import t from 'tap'

const { PushError, subscriptionOf } = await import(
  new URL('../../ingress/push/page/installation.js', import.meta.url).href
)

const refusing = (name: string) => ({
  pushManager: {
    getSubscription: async () => null,
    subscribe: async () => {
      throw new DOMException('Registration failed - permission denied', name)
    },
  },
})

t.test('a browser that refuses to subscribe rejects with a PushError whose code is text', async (t) => {
  for (const [name, code] of [
    ['AbortError', 'subscription_failed'],
    ['NotAllowedError', 'permission_denied'],
  ] as const) {
    const error = await subscriptionOf(refusing(name), 'BA').catch((thrown: unknown) => thrown)
    t.type(error, PushError)
    t.match(error, { code, message: /Registration failed/ })
  }
})
