package millrace

import (
	"context"
	"errors"
)

// Page is one page of a list.
type Page[T any] struct {
	Data []T `json:"data"`
	// NextCursor is the cursor of the next page. Nil on the last page.
	NextCursor *string `json:"next_cursor"`
}

// List reads a list. Requests are sent only when items or pages are read.
//
//	list := client.Video.Assets.List(ctx, nil)
//	for list.Next() {
//		fmt.Println(list.Item().ID)
//	}
//	err := list.Err()
type List[T any] struct {
	fetch func(cursor string) (*Page[T], error)
	page  *Page[T]
	at    int
	ended bool
	err   error
}

func newList[T any](ctx context.Context, c *caller, op operation, path []string, query any, options []Option) *List[T] {
	return &List[T]{fetch: func(cursor string) (*Page[T], error) {
		given, err := withField(query, "cursor", cursor)
		if err != nil {
			return nil, err
		}
		return callJSON[Page[T]](ctx, c, op, path, given, nil, options)
	}}
}

// errSamePage means that the list would never end.
var errSamePage = errors.New("millrace: the server returned the same page again. Read the list again from its start")

// NextPage reads the next page. It returns false after the last page or after an error.
func (l *List[T]) NextPage() bool {
	if l.ended {
		return false
	}
	cursor := ""
	if l.page != nil {
		if l.page.NextCursor == nil || *l.page.NextCursor == "" {
			l.ended = true
			return false
		}
		cursor = *l.page.NextCursor
	}
	page, err := l.fetch(cursor)
	if err == nil && cursor != "" && page.NextCursor != nil && *page.NextCursor == cursor {
		err = errSamePage
	}
	if err != nil {
		l.err, l.ended = err, true
		return false
	}
	l.page, l.at = page, -1
	return true
}

// Page returns the current page. Nil before the first call of Next or NextPage.
func (l *List[T]) Page() *Page[T] { return l.page }

// Next moves to the next item of all pages. It returns false after the last item or after an error.
func (l *List[T]) Next() bool {
	for l.page == nil || l.at+1 >= len(l.page.Data) {
		if !l.NextPage() {
			return false
		}
	}
	l.at++
	return true
}

// Item returns the current item.
func (l *List[T]) Item() T { return l.page.Data[l.at] }

// Err returns the error that ended the list.
func (l *List[T]) Err() error { return l.err }

// All reads up to limit items. A limit of 0 reads all items.
func (l *List[T]) All(limit int) ([]T, error) {
	items := []T{}
	for (limit == 0 || len(items) < limit) && l.Next() {
		items = append(items, l.Item())
	}
	return items, l.err
}
