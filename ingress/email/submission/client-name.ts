/** Name of requests that came by SMTP, in the column `sdk` of the request log. */
export const smtpClient = 'millrace-smtp/1'
