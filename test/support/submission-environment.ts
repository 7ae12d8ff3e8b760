/** Import this first: the pages of this process show a port for email submission. */
process.env.MAIL_SUBMISSION_PORT = '2587'
