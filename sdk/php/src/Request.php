<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;

/**
 * A request that can be sent several times. All attempts have the same idempotency key.
 *
 * @phpstan-import-type Options from Transport
 */
final class Request
{
    /** @param array<string, string> $headers */
    private function __construct(
        public readonly Operation $operation,
        public readonly string $path,
        private readonly string $url,
        public readonly array $headers,
        private readonly ?string $body,
    ) {
    }

    /**
     * @param list<string> $path
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @param Options $options
     */
    public static function of(
        Transport $transport,
        Operation $operation,
        array $path,
        ?array $query,
        ?array $body,
        array $options,
    ): self {
        $key = $options['idempotency_key'] ?? null;
        if ($key !== null && !$operation->keyed) {
            throw new MillraceException("{$operation->verb} {$operation->path} does not accept an idempotency key.");
        }
        $headers = ['accept' => 'application/json', 'user-agent' => 'millrace-php/' . Client::VERSION];
        $authorization = $operation->open ? null : $transport->authorization();
        if ($authorization !== null) {
            $headers['authorization'] = $authorization;
        }
        $namesItself = isset($body['idempotency_key']) || isset($body['idempotencyKey']);
        if ($operation->keyed && ($key !== null || !$namesItself)) {
            $headers['idempotency-key'] = $key ?? bin2hex(random_bytes(16));
        }
        if ($body !== null) {
            $headers['content-type'] = 'application/json';
        }
        $filled = self::fill($operation->path, $path);
        $given = array_change_key_case($options['headers'] ?? []);
        $url = $transport->baseUrl . $filled . self::query($query ?? []);
        return new self($operation, $filled, $url, $given + $headers, self::encode($body));
    }

    public function name(): string
    {
        return "{$this->operation->verb} {$this->path}";
    }

    /**
     * Returns what hooks receive. Secrets are masked.
     *
     * @return array{method: string, path: string, attempt: int, headers: array<string, string>}
     */
    public function info(int $attempt): array
    {
        $secrets = ['authorization', 'cookie', 'proxy-authorization'];
        $headers = array_merge($this->headers, array_fill_keys(array_intersect($secrets, array_keys($this->headers)), '[masked]'));
        return ['method' => $this->operation->verb, 'path' => $this->path, 'attempt' => $attempt, 'headers' => $headers];
    }

    private function shown(string $name): string
    {
        return (string) preg_replace('/[^\w-]/', '?', $name);
    }

    /** @return array<int, mixed> */
    public function curlOptions(): array
    {
        // Without `expect`, curl would wait for a response before it sends a large body.
        $headers = ['expect:'];
        foreach ($this->headers as $name => $value) {
            // A line break would add another header to the request.
            if (preg_match('/[\x00-\x1f\x7f]/', "{$name}{$value}") === 1) {
                throw new MillraceException("The header {$this->shown($name)} contains an invalid character.");
            }
            $headers[] = "{$name}: {$value}";
        }
        return [
            CURLOPT_URL => $this->url,
            CURLOPT_CUSTOMREQUEST => $this->operation->verb,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
        ] + ($this->body === null ? [] : [CURLOPT_POSTFIELDS => $this->body]);
    }

    /**
     * Returns a function for curl that collects the headers of the last response.
     *
     * @param array<string, string> $headers
     */
    public static function headerReader(array &$headers): \Closure
    {
        return static function (\CurlHandle $_, string $line) use (&$headers): int {
            if (str_starts_with($line, 'HTTP/')) {
                $headers = [];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
            return strlen($line);
        };
    }

    /** @param list<string> $values */
    private static function fill(string $path, array $values): string
    {
        return (string) preg_replace_callback('/\{(\w+)\}/', static function (array $match) use (&$values): string {
            $value = array_shift($values) ?? '';
            // An empty value, `.` or `..` would change the path.
            if (in_array($value, ['', '.', '..'], true)) {
                throw new MillraceException("The path parameter {$match[1]} is invalid: \"{$value}\".");
            }
            return rawurlencode($value);
        }, $path);
    }

    /** @param array<string, mixed> $query */
    private static function query(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $text = is_bool($one) ? ($one ? 'true' : 'false') : (string) $one;
                    $pairs[] = rawurlencode((string) $name) . '=' . rawurlencode($text);
                }
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }

    /** @param array<string, mixed>|null $body */
    private static function encode(?array $body): ?string
    {
        if ($body === null) {
            return null;
        }
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;
        try {
            return json_encode($body === [] ? new \stdClass() : $body, $flags);
        } catch (\JsonException $cause) {
            throw new MillraceException("The body cannot be sent as JSON: {$cause->getMessage()}.", 0, $cause);
        }
    }
}
