import { INSPECT } from './script-inspect.ts'
import { ROWS } from './script-rows.ts'

/**
 * Every operation of the store, as one script in Lua: Redis runs it to its end before anything else, so each is a
 * transaction. It keeps the promises of `operations/`, and the tables have the same names.
 *
 * - `order` has the place of every row, `table\0key`, so that ranges are ranges of texts.
 * - `heads` has `secret version expires` of each place, `values` the bytes: most questions need no value.
 * - `expiry` has the places that end, by their time. Redis' own expiry would leave the books wrong.
 * - `meta` has the books: format, sequence, bytes, dropped, and the number of rows by table.
 *
 * Numbers come from the clock of the server where that is ahead of the sequence. A replica that was promoted before it
 * had the last writes, or a server that lost its data, so gives out no number twice.
 */
export const SCRIPT: string = `${ROWS}
local function holds(name, token)
  local one = live(place('!leases', name))
  return one ~= nil and one.version == tonumber(token)
end

local function writeLease(name, token, ttl)
  local expires = math.ceil(now + ttl)
  local refusal = put('!leases', name, '', { secret = '0', version = token, expires = expires }, MAX_LEASES)
  return refusal or { digits(token), digits(expires) }
end

local function putRow(table, key, value, secret, maxRows, ttl, lease, token)
  if lease ~= '' and not holds(lease, token) then
    return refuse('lost_lease', 'The lease "' .. lease .. '" was lost before the write')
  end
  local version = nextNumber()
  local expires = ttl == '' and 0 or math.ceil(now + tonumber(ttl))
  local refusal = put(table, key, value, { secret = secret, version = version, expires = expires }, tonumber(maxRows))
  return refusal or digits(version)
end

local function levelOf(bucket)
  local at = place('!counters', bucket.counter)
  if not live(at) then return bucket.capacity, 0 end
  local kept = cjson.decode(call('HGET', VALUES, at))
  local seconds = math.max(0, now - kept.at) / 1000
  return math.min(bucket.capacity, kept.tokens + seconds * bucket.perSecond), kept.at
end
local function waitFor(bucket)
  local lacking = bucket.cost - bucket.level
  if lacking <= 0 then return 0 end
  if bucket.cost > bucket.capacity then return math.huge end
  local refilled = math.ceil(lacking / bucket.perSecond * 1000)
  if not bucket.fullAt then return refilled end
  return math.min(refilled, math.max(1, bucket.fullAt - now))
end
local function keep(bucket, left)
  local since = math.max(now, bucket.at)
  local full = left >= bucket.capacity and since or since + (bucket.capacity - left) / bucket.perSecond * 1000
  if bucket.fullAt then full = math.min(full, bucket.fullAt) end
  local expires = full < 9e15 and math.ceil(full) or 0
  local value = string.format('{"tokens":%.17g,"at":%.0f}', left, since)
  local row = { secret = '0', version = nextNumber(), expires = expires }
  return put('!counters', bucket.counter, value, row, MAX_COUNTERS)
end

local operations = {}

function operations.get(table, key)
  local at = place(table, key)
  local one = live(at)
  return one and { one.text, call('HGET', VALUES, at) } or false
end

function operations.put(...) return putRow(...) end

function operations.swap(version, table, key, ...)
  local one = live(place(table, key))
  if (one and digits(one.version) or '') ~= version then return false end
  return putRow(table, key, ...)
end

function operations.take(table, key)
  local at = place(table, key)
  local one = head(at)
  if not one then return false end
  local value = call('HGET', VALUES, at)
  remove(at, one)
  return not isExpired(one) and { one.text, value } or false
end

function operations.list(table, prefix, after, limit)
  limit = tonumber(limit)
  local found = {}
  local first = '[' .. place(table, prefix)
  if after ~= '' and after >= prefix then first = '(' .. place(table, after) end
  -- No text has this byte, so that all which begin with the prefix come before it.
  local last = '(' .. place(table, prefix) .. '\\255'
  while #found < 3 * limit do
    local places = call('ZRANGEBYLEX', ORDER, first, last, 'LIMIT', 0, limit)
    for _, at in ipairs(places) do
      local one = live(at)
      if one and #found < 3 * limit then
        local _, key = split(at)
        found[#found + 1] = key
        found[#found + 1] = one.text
        found[#found + 1] = call('HGET', VALUES, at)
      end
    end
    if #places < limit then break end
    first = '(' .. places[#places]
  end
  return found
end

function operations.scan(table, key, limit)
  local first = table == '' and '-' or '(' .. place(table, key)
  local found = {}
  for _, at in ipairs(call('ZRANGEBYLEX', ORDER, first, '+', 'LIMIT', 0, tonumber(limit))) do
    found[#found + 1] = at
    found[#found + 1] = head(at).text
    found[#found + 1] = call('HGET', VALUES, at)
  end
  return found
end

function operations.spend(...)
  local asked = { ... }
  local buckets = {}
  local scarcest, longest, wait = 1, 1, 0
  for index = 1, #asked / 5 do
    local from = (index - 1) * 5
    local bucket = {
      counter = asked[from + 1],
      capacity = tonumber(asked[from + 2]),
      perSecond = tonumber(asked[from + 3]),
      fullAt = tonumber(asked[from + 4]),
      cost = tonumber(asked[from + 5]),
    }
    bucket.level, bucket.at = levelOf(bucket)
    buckets[index] = bucket
    local lacking = waitFor(bucket)
    if lacking > wait then wait, longest = lacking, index end
    local fewest = buckets[scarcest]
    if bucket.level - bucket.cost < fewest.level - fewest.cost then scarcest = index end
  end
  if wait > 0 then
    local text = wait == math.huge and 'inf' or digits(wait)
    return { 0, longest - 1, string.format('%.17g', buckets[longest].level), text }
  end
  for index, bucket in ipairs(buckets) do
    local refusal = keep(bucket, bucket.level - bucket.cost)
    if refusal then
      for before = 1, index - 1 do keep(buckets[before], buckets[before].level) end
      return refusal
    end
  end
  local bucket = buckets[scarcest]
  return { 1, scarcest - 1, string.format('%.17g', bucket.level - bucket.cost), '0' }
end

function operations.acquire(name, ttl)
  if live(place('!leases', name)) then return false end
  return writeLease(name, nextNumber(), tonumber(ttl))
end

function operations.renew(name, token, ttl)
  return holds(name, token) and writeLease(name, tonumber(token), tonumber(ttl)) or false
end

function operations.release(name, token)
  if not holds(name, token) then return 0 end
  local at = place('!leases', name)
  remove(at, head(at))
  return 1
end

function operations.holds(name, token) return holds(name, token) and 1 or 0 end

function operations.publish(channel, message)
  local version = nextNumber()
  local row = { secret = '0', version = version, expires = now + KEPT_FOR }
  local refusal = put('!log', padded(version), message, row, MAX_MESSAGES + 1)
  if refusal then return refusal end
  if book('rows:!log') > MAX_MESSAGES then
    local oldest = call('ZRANGEBYLEX', ORDER, '[!log\\0', '(!log\\1', 'LIMIT', 0, 1)[1]
    remove(oldest, head(oldest))
  end
  call('PUBLISH', channel, digits(version))
  return digits(version)
end

function operations.newest() return digits(book('sequence')) end

function operations.news(cursor)
  local found = { digits(book('sequence')), digits(book('dropped')) }
  local first = '(' .. place('!log', padded(tonumber(cursor)))
  for _, at in ipairs(call('ZRANGEBYLEX', ORDER, first, '(!log\\1')) do
    found[#found + 1] = digits(head(at).version)
    found[#found + 1] = call('HGET', VALUES, at)
  end
  return found
end

function operations.sweep(limit) return sweep(tonumber(limit)) end

function operations.format() return digits(book('format')) end
${INSPECT}
return operations[ARGV[1]](unpack(ARGV, 3))
`
