# Without CSRF tokens: the signature replaces them.
class HooksController < ActionController::API
  def receive
    event = Millrace.verify(request.headers, request.raw_post)
    return head :bad_request unless event
    Rails.logger.info "event #{event["type"]} #{request.headers["webhook-id"]}"
    head :no_content
  end
end
