;; Finds where one of some needles may begin, by "Teddy", the method of Hyperscan: sixteen places at a time, each by the first three
;; bytes from it. Assembled by: npx wat2wasm needles.wat -o needles.wasm
(module
  ;; The lowest 96 bytes are six tables of sixteen: for the low and the high half of the first byte, of the second, and of the third,
  ;; a bit for each of eight groups of needles that have it there.
  (memory (export "memory") 8)

  ;; Writes the places from $at to before $end into a list at $list, four bytes each, and returns how many they are. Reads up to
  ;; eighteen bytes behind $end, from which places may come too.
  (func (export "find") (param $at i32) (param $end i32) (param $list i32) (result i32)
    (local $low1 v128) (local $high1 v128) (local $low2 v128) (local $high2 v128) (local $low3 v128) (local $high3 v128)
    (local $half v128) (local $bytes v128) (local $groups v128) (local $places i32) (local $next i32)
    (local.set $low1 (v128.load (i32.const 0)))
    (local.set $high1 (v128.load (i32.const 16)))
    (local.set $low2 (v128.load (i32.const 32)))
    (local.set $high2 (v128.load (i32.const 48)))
    (local.set $low3 (v128.load (i32.const 64)))
    (local.set $high3 (v128.load (i32.const 80)))
    (local.set $half (i8x16.splat (i32.const 15)))
    (local.set $next (local.get $list))
    (block $done
      (loop $sixteen
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))

        (local.set $bytes (v128.load (local.get $at)))
        (local.set $groups
          (v128.and
            (i8x16.swizzle (local.get $low1) (v128.and (local.get $bytes) (local.get $half)))
            (i8x16.swizzle (local.get $high1) (i8x16.shr_u (local.get $bytes) (i32.const 4)))))

        (local.set $bytes (v128.load offset=1 (local.get $at)))
        (local.set $groups
          (v128.and
            (local.get $groups)
            (v128.and
              (i8x16.swizzle (local.get $low2) (v128.and (local.get $bytes) (local.get $half)))
              (i8x16.swizzle (local.get $high2) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))

        (local.set $bytes (v128.load offset=2 (local.get $at)))
        (local.set $groups
          (v128.and
            (local.get $groups)
            (v128.and
              (i8x16.swizzle (local.get $low3) (v128.and (local.get $bytes) (local.get $half)))
              (i8x16.swizzle (local.get $high3) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))

        (if (v128.any_true (local.get $groups))
          (then
            ;; A bit for each place; the lowest is taken and cleared until none is left.
            (local.set $places (i8x16.bitmask (i8x16.ne (local.get $groups) (v128.const i64x2 0 0))))
            (loop $each
              (i32.store (local.get $next) (i32.add (local.get $at) (i32.ctz (local.get $places))))
              (local.set $next (i32.add (local.get $next) (i32.const 4)))
              (local.set $places (i32.and (local.get $places) (i32.sub (local.get $places) (i32.const 1))))
              (br_if $each (local.get $places)))))

        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $sixteen)))
    (i32.shr_u (i32.sub (local.get $next) (local.get $list)) (i32.const 2))))
