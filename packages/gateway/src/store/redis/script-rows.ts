/** The first part of the script: rows, and the books about them. Nothing else writes a row. */
export const ROWS: string = `
local META, HEADS, VALUES, ORDER, EXPIRY = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local MAX_LEASES, MAX_COUNTERS, MAX_MESSAGES, KEPT_FOR, OVERHEAD, SLICE = 100000, 100000, 1000, 60000, 64, 1000
local call = redis.call
local maxBytes = tonumber(ARGV[2])
local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function digits(number) return string.format('%.0f', number) end
local function padded(number) return string.format('%016.0f', number) end
local function place(table, key) return table .. '\\0' .. key end
local function split(at)
  local zero = string.find(at, '\\0', 1, true)
  return string.sub(at, 1, zero - 1), string.sub(at, zero + 1)
end
local function book(name) return tonumber(call('HGET', META, name) or '0') end
local function refuse(code, message) return { err = 'GANTRY ' .. code .. ' ' .. message } end

local function head(at)
  local text = call('HGET', HEADS, at)
  if not text then return nil end
  local secret, version, expires = string.match(text, '^(%d) (%d+) (%d+)$')
  return { text = text, secret = secret, version = tonumber(version), expires = tonumber(expires) }
end
local function isExpired(one) return one.expires ~= 0 and one.expires <= now end
local function live(at)
  local one = head(at)
  if one and not isExpired(one) then return one end
end

local function nextNumber()
  local number = math.max(book('sequence') + 1, micros)
  call('HSET', META, 'sequence', digits(number), 'format', 1)
  return number
end

local function account(table, rows, bytes)
  if rows ~= 0 then call('HINCRBY', META, 'rows:' .. table, rows) end
  if bytes ~= 0 then call('HINCRBY', META, 'bytes', digits(bytes)) end
end

local function size(at, bytes)
  local _, key = split(at)
  return OVERHEAD + #key + bytes
end

local function remove(at, one)
  local table = split(at)
  local bytes = size(at, call('HSTRLEN', VALUES, at))
  -- First of all: a server that is full permits to write once something was removed.
  call('HDEL', HEADS, at)
  call('HDEL', VALUES, at)
  call('ZREM', ORDER, at)
  call('ZREM', EXPIRY, at)
  account(table, -1, -bytes)
  if table == '!log' and one.version > book('dropped') then call('HSET', META, 'dropped', digits(one.version)) end
end

local function sweep(limit, spared)
  local swept = 0
  for _, at in ipairs(call('ZRANGEBYSCORE', EXPIRY, '-inf', digits(now), 'LIMIT', 0, limit + 1)) do
    if at ~= spared and swept < limit then
      remove(at, head(at))
      swept = swept + 1
    end
  end
  return swept
end

-- Returns a refusal before anything is written when there is no room.
local function put(table, key, value, row, maxRows)
  local at = place(table, key)
  local before = call('HEXISTS', HEADS, at) == 1
  local growth = size(at, #value) - (before and size(at, call('HSTRLEN', VALUES, at)) or 0)
  local function hasManyRows() return not before and book('rows:' .. table) >= maxRows end
  local function hasManyBytes() return growth > 0 and book('bytes') + growth > maxBytes end
  while (hasManyRows() or hasManyBytes()) and sweep(SLICE, at) > 0 do end
  if hasManyRows() then
    return refuse('full', 'The store has ' .. digits(maxRows) .. ' rows of ' .. table .. ', which is the limit')
  end
  if hasManyBytes() then
    return refuse('full', 'The store is full: it holds ' .. digits(maxBytes) .. ' bytes at most')
  end
  account(table, before and 0 or 1, growth)
  call('HSET', HEADS, at, row.secret .. ' ' .. digits(row.version) .. ' ' .. digits(row.expires))
  call('HSET', VALUES, at, value)
  if not before then call('ZADD', ORDER, 0, at) end
  if row.expires ~= 0 then call('ZADD', EXPIRY, digits(row.expires), at)
  elseif before then call('ZREM', EXPIRY, at) end
end
`
