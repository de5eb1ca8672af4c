//! Reports of records that were made up: their forms, their page, several hosts, comparisons, the published schema; and study files.

mod cautions;
mod compare;
mod forms;
mod gate;
mod hosts;
mod memo;
mod page;
mod plans;
mod schema;
mod sections;
mod synthetic;
