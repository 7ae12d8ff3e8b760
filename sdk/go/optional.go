package millrace

import (
	"bytes"
	"encoding/json"
)

// Optional is a field that can be absent, null or a value. The zero value is absent, and the request omits it.
// It is a map, because encoding/json omits empty maps.
type Optional[T any] map[bool]T

// Some returns a field with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{true: value} }

// Null returns a field that is sent as null, which clears it.
func Null[T any]() Optional[T] {
	var zero T
	return Optional[T]{false: zero}
}

// Get returns the value. The second result is false if the field is absent or null.
func (o Optional[T]) Get() (T, bool) {
	value, ok := o[true]
	return value, ok
}

// IsNull reports whether the field is null.
func (o Optional[T]) IsNull() bool {
	_, null := o[false]
	return null
}

// MarshalJSON returns the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if value, ok := o[true]; ok {
		return encode(value)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads the value or null.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*o = Null[T]()
		return nil
	}
	var value T
	if err := decode(text, &value); err != nil {
		return err
	}
	*o = Some(value)
	return nil
}

// Ptr returns a pointer to a value, for required fields that accept null.
func Ptr[T any](value T) *T { return &value }

func encode(value any) ([]byte, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(written.Bytes(), "\n"), nil
}

// decode keeps numbers in untyped values as json.Number, so that large integers stay exact.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
