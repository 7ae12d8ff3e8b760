require "net/http"

module Millrace
  class Error < StandardError; end
  class NotFound < Error; end
  class Conflict < Error; end
  ERRORS = { "404" => NotFound, "409" => Conflict }.freeze

  # Calls an operation. Returns its response.
  def self.call(verb, path, body = nil)
    headers = { "Authorization" => "Bearer #{ENV.fetch("MILLRACE_API_KEY")}", "Content-Type" => "application/json" }
    reply = request(verb, ENV.fetch("MILLRACE_BASE_URL") + path, headers) { |request| request.body = body&.to_json }
    return JSON.parse(reply.body) if reply.is_a?(Net::HTTPSuccess)
    raise ERRORS.fetch(reply.code, Error), JSON.parse(reply.body).dig("error", "message")
  end

  # Sends a file and starts its scan. Returns the object.
  def self.upload(file, facts)
    upload = call(:Post, "/v1/files/uploads", facts.merge(byte_size: file.size))
    headers = upload["upload_headers"].merge("Content-Length" => file.size.to_s)
    reply = request(:Put, upload["upload_url"], headers) { |request| request.body_stream = file.to_io }
    raise Error, "The file could not be stored. Try again." unless reply.is_a?(Net::HTTPSuccess)
    call(:Post, "/v1/files/uploads/#{upload["object_id"]}/complete", {})
  end

  def self.request(verb, url, headers)
    uri = URI(url)
    request = Net::HTTP.const_get(verb).new(uri, headers)
    yield request
    options = { use_ssl: uri.scheme == "https", open_timeout: 10, read_timeout: 30 }
    Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request) }
  end

  # Returns the event of a webhook that was signed in the last five minutes, otherwise nil.
  def self.verify(headers, body)
    id, at, signatures = %w[id timestamp signature].map { |name| headers["webhook-#{name}"].to_s.b }
    return unless at.match?(/\A\d{1,12}\z/) && (Time.now.to_i - at.to_i).abs <= 300
    key = ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m0")
    raise "WEBHOOK_SECRET is empty" if key.empty?
    signature = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{at}.".b + body.b)].pack("m0")
    JSON.parse(body) if signatures.split.any? { |one| ActiveSupport::SecurityUtils.secure_compare(one, signature) }
  end
end
