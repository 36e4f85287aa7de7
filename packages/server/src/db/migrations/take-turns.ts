/**
 * The function by which nodes take turns in the budgets of vendors (docs/decisions/budgets.md). One call of it is one statement: rows are locked
 * in the order of keys and for this statement only, and the clock is read after the lock. Its commit waits for no disk: a crash of the database
 * loses the counts of half a second.
 *
 * A row keeps the numbers of some calls and when each was sent at the latest: of a rate, each call whose number is a multiple of `every`. A call
 * may be sent when the one before it by the number of the rate is as old as the rate says. Times are in order, so that no turn comes before
 * one that was given earlier.
 */

/** A doubted wait is forgotten this long after its end, in milliseconds. */
const doubtMs = 900_000
/** After a wait one call goes first. Without its outcome another one follows so much later, in milliseconds; calls ask again so often. */
const probeMs = 3_000
const probeLookMs = 500
/** Times further ahead than this come from a clock that stepped back, in milliseconds. */
const mostAheadMs = 3_000
/** Usable share of a leaky bucket, as in the budget of one process. */
const usableBucket = 0.9

/** For PostgreSQL. `given_now` replaces its clock in tests. */
export const takeTurns = `create function take_turns(asks jsonb, given_now double precision)
  returns table (key text, granted integer, wait bigint, hold_until bigint, held bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  ask record;
  kept vendor_budgets;
  moment bigint; due bigint; room bigint; rate_room bigint; every bigint; index integer; newest integer;
  filled_at bigint; full_at double precision; leak double precision; filled double precision; is_barred boolean;
begin
  perform set_config('synchronous_commit', 'off', true);
  for ask in select * from jsonb_to_recordset(asks) as each (key text, calls integer, is_sent boolean, ahead integer, late integer,
    rate_calls bigint[], rate_ms bigint[], rate_every bigint[], most_kept integer, size double precision, leak double precision,
    cost double precision, spent double precision,
    seen_level double precision, seen_size double precision, hold bigint, is_accepted boolean) order by each.key
  loop
    select * into kept from vendor_budgets as budget where budget.key = ask.key for update;
    if not found then
      insert into vendor_budgets (key, used_at) values (ask.key, 0) on conflict do nothing;
      select * into kept from vendor_budgets as budget where budget.key = ask.key for update;
    end if;
    moment := coalesce(given_now, extract(epoch from clock_timestamp()) * 1000);
    newest := cardinality(kept.times);
    if kept.times[newest] > moment + ${mostAheadMs} then
      kept.times := array(select least(sent, moment) from unnest(kept.times) with ordinality as log (sent, number) order by log.number);
    end if;
    due := moment;
    room := ask.calls;

    for rate in 1 .. cardinality(ask.rate_calls) loop
      index := newest;
      while index > 0 and kept.numbers[index] > kept.total - ask.rate_calls[rate] loop index := index - 1; end loop;
      rate_room := ask.rate_calls[rate] - kept.total;
      if rate_room <= 0 then due := greatest(due, kept.times[index + 1] + ask.rate_ms[rate]); end if;
      while index < newest and kept.times[index + 1] + ask.rate_ms[rate] <= moment loop
        index := index + 1;
        rate_room := ask.rate_calls[rate] - kept.total + kept.numbers[index];
      end loop;
      room := least(room, rate_room);
    end loop;

    filled := 0;
    filled_at := moment;
    if ask.size is not null then
      kept.size := coalesce(ask.seen_size, kept.size, ask.size);
      leak := kept.size * ask.leak;
      full_at := greatest(0, floor(kept.size * ${usableBucket}) - ask.cost);
      if kept.level_at between moment and moment + ${mostAheadMs} then filled_at := kept.level_at; end if;
      filled := greatest(0, kept.level / 1000.0 - greatest(0, filled_at - kept.level_at) * leak + ask.spent, ask.seen_level);
      due := greatest(due, filled_at + ceil(greatest(0, filled - full_at) / leak)::bigint);
      room := least(room, floor((full_at - filled) / ask.cost)::bigint + 1);
    end if;

    if kept.hold_until not between moment - ${doubtMs} and moment + ${2 * doubtMs} or (ask.is_accepted and kept.hold_until <= moment) then
      kept.hold_until := null;
    end if;
    if ask.hold is not null then kept.hold_until := greatest(kept.hold_until, moment + ask.hold); end if;
    if kept.hold_until is null or ask.hold is not null then kept.probe_until := null; end if;
    is_barred := kept.probe_until between moment and moment + ${probeMs + mostAheadMs};
    if kept.hold_until is not null then
      due := greatest(due, kept.hold_until);
      room := 1;
    end if;

    granted := case when ask.is_sent then ask.calls when is_barred then 0 when due <= moment then least(ask.calls, greatest(room, 1))
      when due <= moment + ask.ahead then least(ask.calls, 1) else 0 end;
    if ask.is_sent then due := moment; end if;
    wait := case when is_barred then least(kept.probe_until - moment, ${probeLookMs}) else due - moment end;
    if granted > 0 then
      for taken in 1 .. granted loop
        kept.total := kept.total + 1;
        foreach every in array ask.rate_every loop
          if kept.total % every = 0 then
            kept.times := kept.times || greatest(due + ask.late, kept.times[cardinality(kept.times)]);
            kept.numbers := kept.numbers || kept.total;
            exit;
          end if;
        end loop;
      end loop;
      filled := greatest(0, filled - greatest(0, due - filled_at) * coalesce(leak, 0)) + granted * ask.cost;
      filled_at := greatest(due, filled_at);
      if kept.hold_until is not null and not ask.is_sent then kept.probe_until := due + ${probeMs}; end if;
      if cardinality(kept.times) > ask.most_kept then
        select array_agg(sent order by number), array_agg(number order by number) into kept.times, kept.numbers
          from unnest(kept.times, kept.numbers) as log (sent, number) where exists (select from unnest(ask.rate_calls, ask.rate_every)
            as rate (calls, every) where number % every = 0 and number > kept.total - calls);
      end if;
    end if;
    update vendor_budgets as budget set total = kept.total, times = kept.times, numbers = kept.numbers, level = (1000 * filled)::bigint,
      level_at = filled_at, size = kept.size, hold_until = kept.hold_until, probe_until = kept.probe_until, used_at = moment
      where budget.key = ask.key;
    key := ask.key;
    hold_until := kept.hold_until;
    held := kept.hold_until - moment;
    return next;
  end loop;
end $$`
