<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;

/** Bytes to upload, from a path or a seekable stream. */
final class Source
{
    public readonly int $bytes;
    public readonly ?string $filename;

    /** @var resource */
    private $stream;

    /** @param string|resource $source */
    public function __construct(mixed $source)
    {
        $stream = is_string($source) ? @fopen($source, 'rb') : $source;
        if (!is_resource($stream)) {
            throw new MillraceException('The source must be the path of a readable file, or a stream.');
        }
        if (fseek($stream, 0, SEEK_END) !== 0) {
            throw new MillraceException('The stream must be seekable.');
        }
        $this->stream = $stream;
        $this->bytes = (int) ftell($stream);
        $this->filename = is_string($source) ? basename($source) : null;
    }

    /**
     * Returns a part in memory.
     *
     * @return resource
     */
    public function part(int $start, int $length): mixed
    {
        $part = fopen('php://temp', 'w+b');
        if ($part === false || fseek($this->stream, $start) !== 0) {
            throw new MillraceException('The source cannot be read.');
        }
        if (stream_copy_to_stream($this->stream, $part, $length) !== $length) {
            throw new MillraceException('The source became shorter during the upload.');
        }
        rewind($part);
        return $part;
    }
}
