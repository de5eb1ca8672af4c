//! Jobs that go on after any end. A job is data: *items* with stable names, in *waves* of which each may need results of the one
//! before, and a *ledger* of what is done.
//!
//! * [`Plan`] says what the items are, each with the state of what it is made of. They may be others the next time: what is new is
//!   done, and what was done before stays done.
//! * [`Job`] is a plan in a directory, with its ledger. The next one in the same directory goes on where this one ended: an item that is
//!   done is not done again, and one that was killed in the middle counts for nothing. A directory has one job at a time.
//!
//! An item's work writes its outputs beside their places and renames them when they are whole, so that an item is there
//! once or not at all, however often it was begun.
//!
//! ```
//! use fieldtest_job::{Claim, Made, Plan};
//!
//! let directory = tempfile::tempdir()?;
//! let items = [(0, "2 squared"), (0, "3 squared"), (1, "their sum")];
//! let plan = Plan::new("two squares".into(), items.map(|(wave, name)| (wave, name, String::new())));
//! let job = Claim::of(directory.path(), &plan.what)?.begin(plan)?;
//! let stop = false.into();
//! let summary = job.run(2, &stop, |_| {}, |item| {
//!     let path = job.folder().join(item.name.replace(' ', "-"));
//!     std::fs::write(&path, "done")?;
//!     Ok::<_, std::io::Error>(Made { outputs: vec![path], ..Made::default() })
//! })?;
//! assert_eq!((summary.done, job.state().done()), (3, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claim;
mod error;
pub mod files;
mod job;
mod ledger;
mod plan;

pub use claim::Claim;
pub use error::JobError;
pub use job::{Fault, Job, Made, Summary};
pub use ledger::{Entry, Output, State, Status};
pub use plan::{Item, Plan, digest};
