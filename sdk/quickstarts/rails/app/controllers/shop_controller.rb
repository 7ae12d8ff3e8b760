class ShopController < ApplicationController
  TENANT = "demo" # in your product: the account of the signed-in user

  rescue_from(Millrace::Error) { |error| fail_with(error.message) }
  rescue_from(Millrace::NotFound) { head :not_found }

  def home; end

  def mail
    to = params[:email].to_s
    return fail_with("Enter an email address.") unless to.match?(/\A#{URI::MailTo::EMAIL_REGEXP}\z/)
    OrderMailer.shipped(to).deliver_now
    render plain: "The message to #{to} was accepted."
  end

  def upload
    file = params[:file]
    return fail_with("Choose a file.") unless file.respond_to?(:original_filename)
    names = { filename: file.original_filename, content_type: file.content_type }
    object = Millrace.upload(file, { product_key: "shop", tenant_id: TENANT, **names })
    redirect_to file_path(object["object_id"])
  end

  def show
    @file = Millrace.call(:Get, "/v1/files/objects/#{params[:id]}?tenant_id=#{TENANT}")
  end

  def download
    link = Millrace.call(:Post, "/v1/files/objects/#{params[:id]}/download-url", { tenant_id: TENANT })
    redirect_to link["download_url"], allow_other_host: true
  rescue Millrace::Conflict # the file is not clean
    redirect_to file_path(params[:id])
  end

  private

  def fail_with(message)
    render :home, status: :unprocessable_entity, locals: { error: message }
  end
end
