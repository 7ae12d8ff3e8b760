<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\ApiException;
use Millrace\Exceptions\ConnectionException;
use Millrace\Exceptions\MillraceException;
use Millrace\Exceptions\ServerException;

/**
 * A stream of events: `foreach ($stream as $event) { … }`. A stream of a GET operation reconnects after a lost
 * connection and continues after the last event. Leave the loop to end it.
 *
 * @implements \IteratorAggregate<int, ServerEvent>
 */
final class EventStream implements \IteratorAggregate
{
    /** The server sends data every 15 seconds. A connection without data for these seconds is closed. */
    private const LONGEST_SILENCE = 45.0;

    /** ID of the last event. Pass it as `last_event_id` to continue later. */
    public ?string $lastEventId = null;

    private float $retrySeconds = 3.0;

    /** True if the API ended the stream with status 204. */
    private bool $ended = false;

    /**
     * @param \Closure(?string): Request $request
     * @param array<int, mixed> $curl
     */
    public function __construct(
        private readonly \Closure $request,
        private readonly array $curl,
        private readonly bool $resumes,
        private readonly float $timeout,
    ) {
    }

    /** @return \Generator<int, ServerEvent> */
    public function getIterator(): \Generator
    {
        $opened = false;
        for ($failures = 0, $n = 0; ; ) {
            try {
                foreach ($this->connection($opened) as $event) {
                    $failures = 0;
                    yield $n++ => $event;
                }
                if (!$this->resumes || $this->ended) {
                    return;
                }
            } catch (MillraceException $failure) {
                $passes = $failure instanceof ConnectionException || $failure instanceof ServerException;
                if (!$this->resumes || !$passes || (!$opened && $failures >= 2)) {
                    throw $failure;
                }
                $failures++;
            }
            $seconds = min($this->retrySeconds * 2 ** max(0, $failures - 1), 30.0) * mt_rand() / mt_getrandmax();
            usleep((int) ($seconds * 1_000_000));
        }
    }

    /**
     * Returns the events of one connection. `$opened` becomes true when the API accepts it.
     *
     * @return \Generator<int, ServerEvent>
     */
    private function connection(bool &$opened): \Generator
    {
        $request = ($this->request)($this->lastEventId);
        [$handle, $multi, $headers, $received] = [curl_init(), curl_multi_init(), [], ''];
        curl_setopt_array($handle, $request->curlOptions() + [
            CURLOPT_HEADERFUNCTION => Request::headerReader($headers),
            CURLOPT_WRITEFUNCTION => static function (\CurlHandle $_, string $data) use (&$received): int {
                $received .= $data;
                return strlen($data);
            },
        ] + $this->curl);
        curl_multi_add_handle($multi, $handle);
        $parser = new EventParser();
        $heard = microtime(true);
        try {
            do {
                curl_multi_exec($multi, $running);
                $status = (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
                $isStream = $status === 200 && str_starts_with($headers['content-type'] ?? '', 'text/event-stream');
                $opened = $opened || $isStream;
                if ($isStream && $received !== '') {
                    [$text, $received, $heard] = [$received, '', microtime(true)];
                    yield from $this->events($parser, $text);
                } elseif (microtime(true) - $heard > ($isStream ? self::LONGEST_SILENCE : $this->timeout)) {
                    throw new ConnectionException("{$request->name()} received no data in time.");
                } elseif ($running > 0) {
                    curl_multi_select($multi, 0.5);
                }
            } while ($running > 0 || ($isStream && $received !== ''));
            $this->check($multi, $request, new Response($status, $headers, $received), $isStream);
        } finally {
            curl_multi_remove_handle($multi, $handle);
            curl_multi_close($multi);
        }
    }

    private function check(\CurlMultiHandle $multi, Request $request, Response $response, bool $isStream): void
    {
        $ended = curl_multi_info_read($multi);
        $result = is_array($ended) ? (int) $ended['result'] : CURLE_OK;
        if ($response->status === 0 || $result !== CURLE_OK) {
            $reason = curl_strerror($result);
            throw new ConnectionException("{$request->name()} was interrupted: {$reason}.");
        }
        $this->ended = $response->status === 204;
        if (!$isStream && !$this->ended) {
            throw ApiException::of($response);
        }
    }

    /** @return \Generator<int, ServerEvent> */
    private function events(EventParser $parser, string $text): \Generator
    {
        foreach ($parser->read($text) as $fields) {
            $this->lastEventId = $fields['id'] ?? $this->lastEventId;
            if (isset($fields['retry'])) {
                $this->retrySeconds = min(max((int) $fields['retry'] / 1000, 0.1), 60.0);
            }
            if (isset($fields['data'])) {
                $data = json_decode($fields['data'], true, 512, JSON_BIGINT_AS_STRING);
                $isJson = json_last_error() === JSON_ERROR_NONE;
                yield new ServerEvent($fields['event'] ?? 'message', $fields['id'] ?? null, $isJson ? $data : $fields['data']);
            }
        }
    }
}
