export interface SmtpServer {
  host: string
  /** Port with STARTTLS. Undefined if it is closed. */
  starttls: number | undefined
  /** Port with TLS from the start. Undefined if it is closed. */
  tls: number | undefined
  /** Sender of the example. */
  from: string
}

interface Example {
  title: string
  language: string
  code: string
}

/** Returns configurations of clients, with the API key in the environment variable `MILLRACE_API_KEY`. */
export function listExamples(server: SmtpServer): Example[] {
  return [
    { title: 'Nodemailer', language: 'js', code: nodemailer(server) },
    { title: 'Django', language: 'python', code: django(server) },
    { title: 'PHPMailer', language: 'php', code: phpMailer(server) },
    { title: 'Rails', language: 'ruby', code: rails(server) },
  ]
}

const portOf = ({ starttls, tls }: SmtpServer): number => starttls ?? tls ?? 587

/** True if TLS starts with the connection. */
const isImplicit = ({ starttls }: SmtpServer): boolean => starttls === undefined

const nodemailer = (server: SmtpServer) => `import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: '${server.host}',
  port: ${portOf(server)},
  ${isImplicit(server) ? 'secure: true' : 'requireTLS: true'},
  auth: { user: 'millrace', pass: process.env.MILLRACE_API_KEY },
})
await transport.sendMail({
  from: '${server.from}',
  to: 'ann@example.net',
  subject: 'Your order',
  text: 'It is on its way.',
})`

const django = (server: SmtpServer) => `# settings.py
EMAIL_HOST = "${server.host}"
EMAIL_PORT = ${portOf(server)}
${isImplicit(server) ? 'EMAIL_USE_SSL' : 'EMAIL_USE_TLS'} = True
EMAIL_HOST_USER = "millrace"
EMAIL_HOST_PASSWORD = os.environ["MILLRACE_API_KEY"]
DEFAULT_FROM_EMAIL = "${server.from}"`

const phpMailer = (server: SmtpServer) => `$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = '${server.host}';
$mail->Port = ${portOf(server)};
$mail->SMTPSecure = '${isImplicit(server) ? 'ssl' : 'tls'}';
$mail->SMTPAuth = true;
$mail->Username = 'millrace';
$mail->Password = getenv('MILLRACE_API_KEY');
$mail->setFrom('${server.from}');
$mail->addAddress('ann@example.net');
$mail->Subject = 'Your order';
$mail->Body = 'It is on its way.';
$mail->send();`

const rails = (server: SmtpServer) => `# config/environments/production.rb
config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: "${server.host}",
  port: ${portOf(server)},
  user_name: "millrace",
  password: ENV["MILLRACE_API_KEY"],
  authentication: :plain,
  ${isImplicit(server) ? 'tls: true' : 'enable_starttls: true'}
}`
