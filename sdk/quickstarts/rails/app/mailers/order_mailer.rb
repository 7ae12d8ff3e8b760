class OrderMailer < ActionMailer::Base
  default from: ENV.fetch("EMAIL_FROM")

  def shipped(to)
    mail to: to, subject: "Your order", body: "Your order is on its way."
  end
end
