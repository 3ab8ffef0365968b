;; Whether JSON escapes nothing in the first `end` bytes of the memory; `end` is a multiple of 16 and not 0.
;; Sixteen bytes at a time: `low` becomes the least of all bytes; `quote` and `backslash` have a 0 where one was.
(module
  (memory (export "memory") 0)
  (func (export "isPlain") (param $end i32) (result i32)
    (local $at i32) (local $low v128) (local $quote v128) (local $backslash v128) (local $bytes v128)
    i32.const -1 i8x16.splat local.tee $low local.tee $quote local.set $backslash
    loop $next
      local.get $at v128.load align=16 local.tee $bytes
      local.get $low i8x16.min_u local.set $low
      local.get $bytes i32.const 34 i8x16.splat v128.xor
      local.get $quote i8x16.min_u local.set $quote
      local.get $bytes i32.const 92 i8x16.splat v128.xor
      local.get $backslash i8x16.min_u local.set $backslash
      local.get $at i32.const 16 i32.add local.tee $at
      local.get $end i32.lt_u br_if $next
    end
    local.get $low i32.const 32 i8x16.splat i8x16.ge_u i8x16.all_true
    local.get $quote i8x16.all_true i32.and
    local.get $backslash i8x16.all_true i32.and))
