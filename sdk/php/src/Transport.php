<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\ApiException;
use Millrace\Exceptions\ConnectionException;
use Millrace\Exceptions\MillraceException;
use Millrace\Exceptions\TimeoutException;

/**
 * Sends requests and reads responses.
 *
 * @phpstan-type Options array{
 *   idempotency_key?: string,
 *   timeout?: float,
 *   max_retries?: int,
 *   headers?: array<string, string>,
 *   on_request?: \Closure(array<string, mixed>): void,
 *   on_response?: \Closure(Response, array<string, mixed>): void,
 *   on_retry?: \Closure(MillraceException, float, array<string, mixed>): void,
 * }
 */
final class Transport
{
    private ?\CurlHandle $handle = null;

    /**
     * @param Options $options
     * @param array<int, mixed> $curl
     */
    public function __construct(
        public readonly string $baseUrl,
        #[\SensitiveParameter] private readonly ?string $apiKey,
        private readonly array $options,
        private readonly array $curl,
    ) {
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'apiKey' => $this->apiKey === null ? null : '[masked]'];
    }

    /**
     * Sends a request with a JSON response.
     *
     * @param list<string> $path
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @param Options $options
     */
    public function json(
        Operation $operation,
        array $path = [],
        ?array $query = null,
        ?array $body = null,
        array $options = [],
    ): mixed {
        $response = $this->send(Request::of($this, $operation, $path, $query, $body, $options), $options);
        try {
            return json_decode($response->body, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException $cause) {
            $text = "The response ({$response->status}) is not JSON. Check that base_url is the URL of the API.";
            throw new MillraceException($text, 0, $cause);
        }
    }

    /**
     * Sends a request with a text response, or without one.
     *
     * @param list<string> $path
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @param Options $options
     */
    public function text(
        Operation $operation,
        array $path = [],
        ?array $query = null,
        ?array $body = null,
        array $options = [],
    ): string {
        return $this->send(Request::of($this, $operation, $path, $query, $body, $options), $options)->body;
    }

    /**
     * Returns a list. Requests are sent only when it is read.
     *
     * @param list<string> $path
     * @param array<string, mixed> $query
     * @param Options $options
     * @return Listing<mixed>
     */
    public function list(Operation $operation, array $path = [], array $query = [], array $options = []): Listing
    {
        return new Listing(fn (?string $cursor): mixed => $this->json(
            $operation,
            $path,
            $cursor === null ? $query : ['cursor' => $cursor] + $query,
            options: $options,
        ));
    }

    /**
     * Opens a stream of events. A stream of a GET operation reconnects after the last event.
     *
     * @param list<string> $path
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @param Options $options
     */
    public function events(
        Operation $operation,
        array $path = [],
        ?array $query = null,
        ?array $body = null,
        array $options = [],
    ): EventStream {
        $request = fn (?string $last): Request => Request::of(
            $this,
            $operation,
            $path,
            $last === null ? $query : ['last_event_id' => $last] + ($query ?? []),
            $body,
            ['headers' => ['accept' => 'text/event-stream'] + ($options['headers'] ?? [])] + $options,
        );
        return new EventStream($request, $this->curl, $operation->verb === 'GET', $this->timeout($options));
    }

    public function authorization(): ?string
    {
        return $this->apiKey === null ? null : "Bearer {$this->apiKey}";
    }

    /**
     * Sends a request until it succeeds or a retry cannot help.
     *
     * @param Options $options
     */
    public function send(Request $request, array $options): Response
    {
        $options += $this->options;
        for ($attempt = 1; ; $attempt++) {
            $info = $request->info($attempt);
            try {
                return $this->once($request, $options, $info);
            } catch (MillraceException $failure) {
                $isLast = $attempt > ($options['max_retries'] ?? 2);
                if ($isLast || !Retries::isRetryable($request->operation->isHarmless(), $failure)) {
                    throw $failure;
                }
                $delay = Retries::delay($attempt, $failure);
                isset($options['on_retry']) && $options['on_retry']($failure, $delay, $info);
                usleep((int) ($delay * 1_000_000));
            }
        }
    }

    /**
     * @param Options $options
     * @param array<string, mixed> $info
     */
    private function once(Request $request, array $options, array $info): Response
    {
        isset($options['on_request']) && $options['on_request']($info);
        $handle = $this->handle ??= curl_init();
        curl_reset($handle);
        $headers = [];
        curl_setopt_array($handle, $request->curlOptions() + [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ceil($this->timeout($options) * 1000),
            CURLOPT_HEADERFUNCTION => Request::headerReader($headers),
        ] + $this->curl);
        $begun = microtime(true);
        $body = curl_exec($handle);
        if (!is_string($body)) {
            throw self::failure($handle, $request, $this->timeout($options));
        }
        $status = (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        $response = new Response($status, $headers, $body, microtime(true) - $begun);
        isset($options['on_response']) && $options['on_response']($response, $info);
        if ($status < 200 || $status >= 300) {
            throw ApiException::of($response, $this->missingKey($request, $status));
        }
        return $response;
    }

    private function missingKey(Request $request, int $status): ?string
    {
        if ($status !== 401 || isset($request->headers['authorization'])) {
            return null;
        }
        return "{$request->name()} needs an API key. Pass api_key, or set MILLRACE_API_KEY.";
    }

    /** Returns the exception of a failed connection. It does not contain the URL, which can contain a token. */
    public static function failure(\CurlHandle $handle, Request $request, float $timeout): ConnectionException
    {
        $number = curl_errno($handle);
        $isUnsent = in_array($number, [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT], true)
            || curl_getinfo($handle, CURLINFO_PRETRANSFER_TIME) === 0.0;
        if ($number === CURLE_OPERATION_TIMEOUTED) {
            return new TimeoutException("{$request->name()} received no response within {$timeout} s.", (int) $isUnsent);
        }
        $reason = curl_strerror($number);
        return new ConnectionException("{$request->name()} received no response: {$reason}.", (int) $isUnsent);
    }

    /** @param Options $options */
    private function timeout(array $options): float
    {
        return $options['timeout'] ?? $this->options['timeout'] ?? 60.0;
    }
}
