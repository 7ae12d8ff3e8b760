const { DATABASE_URL, PAYMENTS_URL, PORT, SHOP_SENDER, SHOP_URL } = process.env

export const databaseUrl = DATABASE_URL
export const port = Number(PORT ?? 4100)
/** URL with which Millrace calls the shop. */
export const shopUrl = SHOP_URL ?? `http://127.0.0.1:${port}`
export const paymentsUrl = PAYMENTS_URL ?? 'http://127.0.0.1:4200'
export const sender = SHOP_SENDER ?? 'orders@shop.example'
