# Mail of Rails leaves by SMTP with the API key as password.
Rails.application.configure do
  config.action_mailer.raise_delivery_errors = true
  config.action_mailer.delivery_method = :smtp
  config.action_mailer.smtp_settings = {
    address: ENV.fetch("SMTP_HOST"),
    port: ENV.fetch("SMTP_PORT").to_i,
    user_name: "millrace",
    password: ENV.fetch("MILLRACE_API_KEY"),
    authentication: :plain,
    enable_starttls: true,
    open_timeout: 20,
    read_timeout: 20
  }
end
