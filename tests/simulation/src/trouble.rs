//! What goes wrong in a run, as often as its scenario says.

use crate::failure::Failure;
use crate::run::Run;
use crate::scenario::DAY_MS;
use crate::simulation::Fate;
use crate::world::{Refusal, conversation};

impl Run {
    /// A request arrives, or fares worse.
    pub(crate) fn land(&mut self, id: u64) {
        let scenario = self.simulation.world.state().scenario.clone();
        let (writes, heard) = {
            let state = self.simulation.world.state();
            let call = &state.calls[&id];
            (call.request.writes(), !call.abandoned)
        };
        let random = &mut self.random;
        let (fate, name) = if random.chance(scenario.lost_request) {
            (Fate::Lost, "request lost")
        } else if heard && random.chance(scenario.throttled) {
            (Fate::Refused(Refusal::Throttled), "throttled")
        } else if heard && random.chance(scenario.denied) {
            (Fate::Refused(Refusal::AccessDenied), "access denied")
        } else if heard && writes && random.chance(scenario.late) {
            (
                Fate::Late(random.between(0, 60_000)),
                "effect after the caller gave up",
            )
        } else if heard && writes && random.chance(scenario.duplicate) {
            if random.chance(500) {
                (Fate::Doubled, "duplicated")
            } else {
                (Fate::Echoed, "repeated unseen")
            }
        } else {
            (Fate::Lands, if heard { "landed" } else { "landed unheard" })
        };
        self.hit(name);
        self.simulation.land(id, fate);
    }

    /// Somebody changes or removes a committed event behind everyone's back.
    pub(crate) fn tamper(&mut self) {
        let mut state = self.simulation.world.state();
        let talk = conversation(self.random.index(state.scenario.conversations));
        let length = state.log.session(&talk).len();
        if length == 0 {
            return;
        }
        let index = self.random.index(length);
        let event = &state.log.session(&talk)[index].event;
        let turn = event
            .metadata
            .get("colloquy.turn")
            .cloned()
            .unwrap_or_default();
        if !state.ledger.is_committed(&talk, &turn) {
            return;
        }
        let name = state.tamper(&talk, index, self.random.index(4), self.random.bits());
        state.ledger.tampered.insert(talk);
        state.ledger.coverage.hit(name);
        drop(state);
        self.simulation.note(|| format!("somebody tampers: {name}"));
    }

    /// Days pass. Nothing stays on a network for days, so what is under way ends first.
    pub(crate) fn jump(&mut self) -> Result<(), Failure> {
        self.rest()?;
        let days = self.random.between(1, 12);
        self.pass(days * DAY_MS);
        let mut state = self.simulation.world.state();
        state.ledger.era += 1;
        state.ledger.coverage.hit("days pass");
        // The table gets to its expired items some day, not at once.
        if self.random.chance(700) {
            state.expire_context();
        }
        drop(state);
        for client in &mut self.simulation.clients {
            // After a day a key is forgotten, and a retry with it is a new store.
            client.open = None;
        }
        self.simulation.note(|| format!("{days} days pass"));
        Ok(())
    }
}
